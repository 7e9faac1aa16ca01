import { isUuid } from '#app/lib/read-query.ts';
import { AUDIT_SORTS } from '#server/operations/schemas.ts';

/** Filters of the audit log, as the address holds them; what cannot be meant counts as not given. */
export function readAuditQuery(search: URLSearchParams) {
  const text = (name: string, most: number) => search.get(name)?.trim().slice(0, most) || undefined;
  const day = (name: string) => {
    const value = search.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
  };
  const cursor = search.get('cursor') ?? '';
  return {
    actor: text('actor', 320),
    action: text('action', 60),
    subjectId: text('subject', 200),
    from: day('from'),
    to: day('to'),
    sort: AUDIT_SORTS.find((each) => each === search.get('sort')),
    cursor: isUuid(cursor) ? cursor : undefined,
  };
}
