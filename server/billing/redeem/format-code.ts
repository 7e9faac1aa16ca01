/** 80 bits of chance: nobody guesses one. */
export const CODE_CHARACTERS = 16;

/** As people get it, `XXXX-XXXX-XXXX-XXXX`. */
export const formatCode = (code: string): string => code.replaceAll(/.{4}(?=.)/g, '$&-');
