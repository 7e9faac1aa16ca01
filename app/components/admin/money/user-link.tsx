import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';

/** A person, leading to their money. */
export function UserLink({ userId, email }: { userId: string; email: string }) {
  return (
    <Anchor component={Link} to={`/admin/users/${userId}`}>
      {email}
    </Anchor>
  );
}
