import { createContext, useContext } from 'react';
import type { ModelView, ReferenceMedium, ReferenceRole } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';

/** What a file can be used for next: the first model of a kind that is known to take it, and what it is there. */
export type WayOn = { from: ReferenceMedium; make: Made; role: ReferenceRole; model: string };
type Made = Exclude<Kind, 'text'>;

const MEDIA = ['image', 'video', 'audio'] as const satisfies readonly Made[];
/** A video begins with a picture where a model can do that; a last frame has no place without a first one. */
const ROLES: readonly ReferenceRole[] = ['first_frame', 'reference'];

/** One way for each pair of kinds, and only where a model takes it. */
export function waysOnOf(models: readonly ModelView[]): WayOn[] {
  return MEDIA.flatMap((from) =>
    MEDIA.flatMap((make) => {
      for (const role of ROLES) {
        const model = models.find(({ kind, takes }) => kind === make && takes[role]?.includes(from));
        if (model) return [{ from, make, role, model: model.slug }];
      }
      return [];
    }),
  );
}

const WaysOn = createContext<readonly WayOn[]>([]);
export const WaysOnProvider = WaysOn.Provider;

/** The ways on from a file of this kind, where the page knows the models. */
export function useWaysOn(from: Kind): WayOn[] {
  return useContext(WaysOn).filter((way) => way.from === from);
}

/** The composer with an output as a reference. */
export const wayOnHref = (outputId: string, { role, make, model }: WayOn): string =>
  `/workbench?${new URLSearchParams({ reference: outputId, role, make, model })}`;
