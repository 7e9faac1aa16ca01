import { Button, Group } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import { SideLaneDiagram } from '#app/components/landing/side-lane-diagram.tsx';
import { FilmStrip } from '#app/components/layout/film-strip.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';
import classes from './_index.module.css';

export const meta: MetaFunction = ({ matches }) => {
  const t = accountTexts.in(languageOf(matches));
  return [{ title: t('landing.title') }, { name: 'description', content: t('landing.description') }];
};

export function loader({ context }: LoaderFunctionArgs) {
  return { signedIn: context.user !== null };
}

const PROMISES = ['closeTab', 'once', 'pay', 'books'] as const;

export default function Landing() {
  const { signedIn } = useLoaderData<typeof loader>();
  const t = useT(accountTexts);
  return (
    <div className={classes.root}>
      <section className={classes.hero}>
        <p className={classes.edge}>{t('landing.edge')}</p>
        <h1 className={classes.title}>
          {t('landing.line1')}
          <br />
          {t('landing.line2')}
        </h1>
        <p className={classes.lead}>{t('landing.lead')}</p>
        <Group gap="sm">
          <Button
            component={Link}
            to={signedIn ? '/workbench' : '/signup'}
            size="md"
            rightSection={<ArrowRight size={18} aria-hidden="true" />}
          >
            {signedIn ? t('landing.open') : t('landing.signUp')}
          </Button>
          {signedIn ? null : (
            <Button component={Link} to="/login" size="md" variant="default">
              {t('landing.signIn')}
            </Button>
          )}
        </Group>
      </section>
      <div className={classes.strip}>
        <FilmStrip frames={13} />
      </div>
      <section className={classes.promises} aria-label={t('landing.promises')}>
        {PROMISES.map((promise) => (
          <div key={promise}>
            <h2 className={classes.promiseTitle}>{t(`landing.${promise}.title`)}</h2>
            <p className={classes.promiseText}>{t(`landing.${promise}.text`)}</p>
          </div>
        ))}
      </section>
      <SideLaneDiagram />
    </div>
  );
}
