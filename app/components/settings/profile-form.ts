import { z } from 'zod';
import { profileInput } from '#server/auth/schemas.ts';

const { displayName, language, timeZone } = profileInput.shape;

/** As the form sends it: an empty choice is the browser's own. */
export const profileForm = z.object({
  displayName,
  language: language.optional(),
  timeZone: timeZone.optional(),
});
