import { Anchor, Code } from '@mantine/core';
import { Link } from '@remix-run/react';

/** Pages of the things that administrators change; others have none of their own. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  announcement: () => '/admin/announcements',
  channel: (id) => `/admin/channels/${id}`,
  intake: () => '/admin/pauses',
  model: (id) => `/admin/models/${id}`,
  order: (id) => `/admin/orders/${id}`,
  policy: () => '/admin/settings',
  task: (id) => `/admin/tasks/${id}`,
  template: () => '/admin/templates',
  user: (id) => `/admin/users/${id}`,
};

/** What an entry is about, leading to its page where there is one. */
export function SubjectLink({ subject, subjectId }: { subject: string; subjectId: string }) {
  const to = PAGES[subject]?.(encodeURIComponent(subjectId));
  if (!to) return <Code>{subjectId}</Code>;
  return (
    <Anchor component={Link} to={to} underline="always">
      <Code>{subjectId}</Code>
    </Anchor>
  );
}
