import { Button } from '@mantine/core';
import { Link } from '@remix-run/react';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import { WINDOWS, type Window } from '#server/overview/schemas.ts';
import classes from './window-switch.module.css';

/** Chooses how far back the figures go; the choice is in the address. */
export function WindowSwitch({ window }: { window: Window }) {
  const t = useT(adminTexts);
  return (
    <nav aria-label={t('overview.window.label')} className={classes.root}>
      {WINDOWS.map((each) => (
        <Button
          key={each}
          component={Link}
          to={`?window=${each}`}
          size="xs"
          variant={each === window ? 'filled' : 'default'}
          aria-current={each === window ? 'true' : undefined}
          preventScrollReset
          prefetch="intent"
        >
          {t(`overview.window.${each}`)}
        </Button>
      ))}
    </nav>
  );
}
