import type { Failure } from './classify-failure.ts';
import type { Log } from './log.ts';

/** Tells the operator about every change of condition once, though several loops meet it and try again and again. */
export type Conditions = {
  failed(lane: string, failure: Failure): void;
  /** A knock was answered; `message` is what the web process wants the operator to know. */
  answered(lane: string, message?: string): void;
};

export type ConditionsOptions = { log: Log; origin: string };

export function createConditions({ log, origin }: ConditionsOptions): Conditions {
  /** The connection as a whole: all loops share token, protocol and address. */
  let link = 'ok';
  const lanes = new Map<string, string>();

  function setLink(condition: string, announce: () => void): void {
    if (link === condition) return;
    link = condition;
    announce();
  }

  function setLane(lane: string, condition: string, announce: () => void): void {
    const before = lanes.get(lane) ?? 'ok';
    if (before === condition) return;
    lanes.set(lane, condition);
    announce();
  }

  function linkWorks(): void {
    setLink('ok', () => log.info(`${origin} answers again`));
  }

  return {
    failed(lane, { kind, message }) {
      switch (kind) {
        case 'refused':
          return setLink(kind, () =>
            log.error(`${origin} refused the service token: set the same MAINTENANCE_TOKEN on both sides`, {
              answer: message,
            }),
          );
        case 'incompatible':
          return setLink(kind, () =>
            log.error(`${origin} refused this daemon's protocol`, { answer: message }),
          );
        case 'unreachable':
          return setLink(kind, () =>
            log.warn(`${origin} cannot be reached; trying again`, { reason: message }),
          );
        case 'absent':
          linkWorks();
          return setLane(lane, kind, () =>
            log.warn(`${origin} does not know the ${lane} knock yet: update the web process`, {
              answer: message,
            }),
          );
        case 'failed':
          linkWorks();
          return setLane(lane, kind, () =>
            log.warn(`The ${lane} knock failed; trying again`, { answer: message }),
          );
      }
    },
    answered(lane, message) {
      linkWorks();
      if (message !== undefined) return setLane(lane, message, () => log.warn(message, { lane }));
      setLane(lane, 'ok', () => log.info(`The ${lane} knock works again`));
    },
  };
}
