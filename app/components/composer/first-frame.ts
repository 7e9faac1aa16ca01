import type { ReferenceRole } from '#server/generation/status.ts';

/** Whether a last frame has its place behind that of a first one. A model that takes one alone has it in its first place. */
export const keepsFirstPlace = (roles: readonly ReferenceRole[]): boolean =>
  roles[0] === 'first_frame' && roles[1] === 'last_frame';

/** Empty places before a file that the address brings along in this role: a last frame leaves that of the first one open. */
export function gapFor(roles: readonly ReferenceRole[], role: string | null, files: number): number {
  return role === 'last_frame' && files === 1 && keepsFirstPlace(roles) ? 1 : 0;
}
