import type { SlotClass } from './status.ts';

export type SlotCounts = Record<SlotClass, number>;

/** Bounded slots by class: a long create or download never takes the place of polls. */
export type Slots = {
  /** Takes up to `wanted` slots and returns how many it got. */
  take(slotClass: SlotClass, wanted: number): number;
  giveBack(slotClass: SlotClass, count: number): void;
  used(): SlotCounts;
  free(slotClass: SlotClass): number;
};

export function createSlots(sizes: SlotCounts): Slots {
  const used: SlotCounts = { poll: 0, create: 0, transfer: 0, compose: 0 };
  const free = (slotClass: SlotClass) => Math.max(0, sizes[slotClass] - used[slotClass]);
  return {
    take(slotClass, wanted) {
      const got = Math.min(Math.max(0, wanted), free(slotClass));
      used[slotClass] += got;
      return got;
    },
    giveBack(slotClass, count) {
      used[slotClass] -= count;
    },
    used: () => ({ ...used }),
    free,
  };
}
