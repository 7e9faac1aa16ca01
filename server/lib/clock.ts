/**
 * Wall clock of this process. Only for display and for pure schedule code: leases and due times are decided by
 * the database clock, so that all replicas agree.
 */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
