import type { ReactNode } from 'react';
import { BackLink } from '#app/components/ui/back-link.tsx';
import { useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';
import classes from './work-page.module.css';

type WorkPageHeadProps = {
  /** Id of the heading, by which the article is named. */
  headingId: string;
  title: ReactNode;
  /** One line below the title. */
  sub: ReactNode;
  children?: ReactNode;
};

/** The top of a page about one task of any kind, with the way back to the workbench. */
export function WorkPageHead({ headingId, title, sub, children }: WorkPageHeadProps) {
  const t = useT(commonTexts);
  return (
    <header className={classes.head}>
      <BackLink to="/workbench">{t('nav.workbench')}</BackLink>
      <h1 id={headingId} className={classes.title}>
        {title}
      </h1>
      <p className={classes.sub}>{sub}</p>
      {children}
    </header>
  );
}

/** The column beside the work: what is going on, then the figures. */
export function WorkPageSide({ state, facts }: { state: ReactNode; facts: ReactNode }) {
  return (
    <div className={classes.side}>
      <div className={classes.state}>{state}</div>
      <div className={classes.facts}>{facts}</div>
    </div>
  );
}
