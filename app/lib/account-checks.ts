import { signInInput, signUpInput } from '#server/auth/schemas.ts';
import { parseForm } from './parse-form.ts';

/** The forms at the door by their schemas; loaded when one of them is filled in. */
export const checkSignIn = (form: FormData) => parseForm(form, signInInput);
export const checkSignUp = (form: FormData) => parseForm(form, signUpInput);
