import { Button, Group } from '@mantine/core';
import { isRouteErrorResponse, Link } from '@remix-run/react';
import type { TFunction } from 'i18next';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { commonTexts } from '#app/locales/common.ts';
import classes from './error-page.module.css';

type Words = { title: string; text: string };

const OWN_WORDS = [403, 404, 405, 429, 503] as const;

/** What a route's error says to people: never a stack, never a message that no one wrote for them. */
export function wordsFor(error: unknown, t: TFunction<'common'>): Words & { status: number } {
  const unexpected: Words = { title: t('errorPage.unexpected.title'), text: t('errorPage.unexpected.text') };
  if (!isRouteErrorResponse(error)) return { status: 500, ...unexpected };
  const { status } = error;
  const own = typeof error.data === 'string' && status < 500 && error.data.length <= 300 ? error.data : '';
  // Remix's own sentences start like this and are about its code.
  const useful = own !== '' && !own.startsWith('Error:');
  const words = wordsOf(status, t, unexpected);
  return { status, title: words.title, text: useful ? own : words.text };
}

function wordsOf(status: number, t: TFunction<'common'>, unexpected: Words): Words {
  const known = OWN_WORDS.find((each) => each === status);
  if (known) return { title: t(`errorPage.${known}.title`), text: t(`errorPage.${known}.text`) };
  return status >= 500 ? unexpected : { title: t('errorPage.refused.title'), text: unexpected.text };
}

export function ErrorPage({ error }: { error: unknown }) {
  const t = useT(commonTexts);
  const words = useErrorWords();
  const { status, title, text } = wordsFor(error, t);
  return (
    <div className={classes.root}>
      <p className={classes.frame} aria-hidden="true">
        {status}
      </p>
      <h1 className={classes.title}>{title}</h1>
      <p className={classes.text} data-refusal>
        {words([text])}
      </p>
      <Group justify="center" mt="lg">
        <Button component={Link} to="/workbench">
          {t('errorPage.toWorkbench')}
        </Button>
        <Button component={Link} to="." variant="default" reloadDocument>
          {t('errorPage.retry')}
        </Button>
      </Group>
    </div>
  );
}
