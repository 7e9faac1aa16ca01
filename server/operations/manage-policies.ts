import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { boundsOf, POLICIES, parsePolicyValue } from './policies.ts';
import { deleteSetting, listSettings, upsertSetting } from './queries.ts';
import { POLICY_KEYS, type PolicyKey, type PolicyView } from './schemas.ts';

type Needs = Pick<Deps, 'db' | 'config' | 'payments' | 'operations'>;

/** Every policy with what holds, where that comes from, and its bounds. */
export async function readPolicies(deps: Needs): Promise<PolicyView[]> {
  await deps.operations.refresh();
  const stored = new Map((await listSettings(deps.db)).map((row) => [row.key, row]));
  return POLICY_KEYS.map((key) => {
    const { group, type, unit, read } = POLICIES[key];
    const row = stored.get(key);
    return {
      key,
      group,
      type,
      unit,
      bounds: boundsOf(key, deps.payments),
      value: read(deps.config),
      environment: read(deps.operations.environment),
      setAt: row?.setAt ?? null,
      setByEmail: row?.setByEmail ?? null,
    };
  });
}

/**
 * Sets a policy in place of the environment's; every web process goes by it within seconds. What was decided for tasks
 * before stays.
 *
 * @throws AppError `bad_request` for a value outside the bounds
 */
export async function setPolicy(
  deps: Needs,
  { key, value: text, actorId }: { key: PolicyKey; value: string; actorId: string },
): Promise<void> {
  const value = parsePolicyValue(key, text, boundsOf(key, deps.payments));
  await deps.db.transaction(async (tx) => {
    await upsertSetting(tx, { key, value, updatedBy: actorId });
    const data = { from: POLICIES[key].read(deps.config), to: value };
    await recordAudit(tx, { actorId, action: 'policy.set', subjectId: key, data });
  });
  await deps.operations.refresh();
}

/** Goes back to what the environment says. @throws AppError `conflict` when it was not set */
export async function resetPolicy(
  deps: Needs,
  { key, actorId }: { key: PolicyKey; actorId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await deleteSetting(tx, key))) {
      throw new AppError('conflict', 'This policy already follows the environment.');
    }
    const { read } = POLICIES[key];
    const data = { from: read(deps.config), to: read(deps.operations.environment) };
    await recordAudit(tx, { actorId, action: 'policy.reset', subjectId: key, data });
  });
  await deps.operations.refresh();
}
