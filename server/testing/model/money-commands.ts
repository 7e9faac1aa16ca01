import fc from 'fast-check';
import type { World } from './money-world.ts';

/** What a history knows of itself: whether there is something to act on. */
export type Known = { tasks: number; orders: number; composites: number };

type Action = {
  name: string;
  /** What must be there before. */
  needs?: keyof Known;
  /** What it may add. */
  makes?: keyof Known;
  run(world: World): Promise<unknown>;
};

type Command = fc.AsyncCommand<Known, World>;

/** Called after every command. */
type Check = (world: World) => Promise<void>;

class MoneyCommand implements Command {
  constructor(
    private readonly action: Action,
    private readonly afterwards: Check,
  ) {}

  check(known: Readonly<Known>): boolean {
    return this.action.needs === undefined || known[this.action.needs] > 0;
  }

  async run(known: Known, world: World): Promise<void> {
    await this.action.run(world);
    if (this.action.makes) known[this.action.makes] += 1;
    await this.afterwards(world);
  }

  toString(): string {
    return this.action.name;
  }
}

/** Several at the same moment, each on a connection of its own. */
function together(actions: readonly Action[]): Action {
  return {
    name: `together(${actions.map((action) => action.name).join(' | ')})`,
    needs: actions.find((action) => action.needs)?.needs,
    makes: actions.find((action) => action.makes)?.makes,
    async run(world) {
      const ends = await Promise.allSettled(actions.map((action) => action.run(world)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
}

const index = fc.nat({ max: 50 });
const who = fc.nat({ max: 1 });
const times = fc.integer({ min: 1, max: 3 });
/** Often just what some children cost, sometimes nothing. */
const budget = fc.nat({ max: 8 }).map((outputs) => outputs * 5);
const share = fc.constantFrom(0.3, 0.5, 1);

const named = <T>(
  name: string,
  shape: Omit<Action, 'name' | 'run'>,
  args: fc.Arbitrary<T>,
  run: (world: World, args: T) => Promise<unknown>,
) =>
  args.map(
    (value): Action => ({
      name: `${name}(${JSON.stringify(value)})`,
      ...shape,
      run: (world) => run(world, value),
    }),
  );

const TASK = { needs: 'tasks' } as const;
const ORDER = { needs: 'orders' } as const;
const COMPOSITE = { needs: 'composites' } as const;

/** One arbitrary per kind of thing that happens to money, weighted so that histories have something to act on. */
const ACTIONS: [number, fc.Arbitrary<Action>][] = [
  [
    4,
    named('grant', {}, fc.tuple(who, fc.integer({ min: 1, max: 40 }), fc.constantFrom(null, 1, 30)), (w, a) =>
      w.grant(...a),
    ),
  ],
  [2, named('redeem', {}, fc.tuple(who, fc.integer({ min: 1, max: 25 })), (w, a) => w.redeem(...a))],
  [
    8,
    named('submit', { makes: 'tasks' }, fc.tuple(who, fc.integer({ min: 1, max: 4 })), (w, a) =>
      w.submit(...a),
    ),
  ],
  [4, named('deliver', TASK, index, (w, task) => w.deliver(task, 4))],
  [3, named('deliverPart', TASK, fc.tuple(index, fc.integer({ min: 1, max: 3 })), (w, a) => w.deliver(...a))],
  [3, named('fail', TASK, index, (w, task) => w.fail(task))],
  [3, named('cancel', TASK, index, (w, task) => w.cancel(task))],
  [
    3,
    named(
      'startComposite',
      { makes: 'composites' },
      fc.tuple(who, fc.constantFrom('agent' as const, 'drama' as const), budget),
      (w, a) => w.startComposite(...a),
    ),
  ],
  [5, named('fund', COMPOSITE, fc.tuple(index, budget), (w, a) => w.fund(...a))],
  [
    8,
    named(
      'startChild',
      { ...COMPOSITE, makes: 'tasks' },
      fc.tuple(index, fc.integer({ min: 1, max: 4 })),
      (w, a) => w.startChild(...a),
    ),
  ],
  [1, named('cancelComposite', COMPOSITE, index, (w, composite) => w.cancelComposite(composite))],
  [
    3,
    named(
      'endComposite',
      COMPOSITE,
      fc.tuple(index, fc.constantFrom('succeeded' as const, 'failed' as const, 'cancelled' as const)),
      (w, a) => w.endComposite(...a),
    ),
  ],
  [6, named('buy', { makes: 'orders' }, who, (w, user) => w.buy(user))],
  [
    7,
    named('pay', ORDER, fc.tuple(index, times, fc.constantFrom(false, false, false, true)), (w, a) =>
      w.pay(...a),
    ),
  ],
  [2, named('payLate', ORDER, index, (w, order) => w.payLate(order))],
  [
    1,
    named('endOrder', ORDER, fc.tuple(index, fc.constantFrom('user' as const, 'admin' as const)), (w, a) =>
      w.endOrder(...a),
    ),
  ],
  [
    3,
    named(
      'refundByAdmin',
      ORDER,
      fc.tuple(index, fc.constantFrom('unspent' as const, 'full' as const)),
      (w, a) => w.refundByAdmin(...a),
    ),
  ],
  [2, named('refundInPanel', ORDER, fc.tuple(index, share, times), (w, a) => w.refundInPanel(...a))],
  [4, named('dispute', ORDER, fc.tuple(index, fc.boolean(), fc.boolean()), (w, a) => w.dispute(...a))],
  [3, named('tell', {}, fc.constant(null), (w) => w.tell())],
  [2, named('expireBuckets', {}, who, (w, user) => w.expireBuckets(user))],
  [2, named('sweep', {}, fc.constant(null), (w) => w.sweep())],
  [4, named('refundLane', {}, fc.constant(null), (w) => w.refundLane())],
  [2, named('inviteLane', {}, fc.constant(null), (w) => w.inviteLane())],
  [1, named('closeAccount', {}, who, (w, user) => w.closeAccount(user))],
];

/** Commands in any order, alone and several at once. */
export function moneyCommands(afterwards: Check, size: number): fc.Arbitrary<Iterable<Command>> {
  const one = fc.oneof(...ACTIONS.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  const several = fc.array(one, { minLength: 2, maxLength: 4 }).map(together);
  const command = fc
    .oneof({ weight: 3, arbitrary: one }, { weight: 1, arbitrary: several })
    .map((action) => new MoneyCommand(action, afterwards));
  return fc.commands([command], { maxCommands: size, size: 'max' });
}
