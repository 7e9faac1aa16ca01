import { Link } from '@remix-run/react';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
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
      <Link to="/workbench" className={classes.back}>
        <ArrowLeft size={16} aria-hidden /> {t('nav.workbench')}
      </Link>
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
