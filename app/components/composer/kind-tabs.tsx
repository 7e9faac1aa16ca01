import { Link } from '@remix-run/react';
import { composerHref, KIND_LOOKS } from '#app/components/ui/kind-looks.ts';
import { useT } from '#app/lib/language.tsx';
import { workbenchTexts } from '#app/locales/workbench.ts';
import { isComposite, type Kind, TASK_KINDS, type TaskKind } from '#server/generation/status.ts';
import classes from './composer.module.css';

type KindTabsProps = { kind: TaskKind; hrefFor: (kind: Kind) => string };

/**
 * What to make. Links, so that they work before hydration and can be opened elsewhere; the prompt stays. Agents and
 * dramas have composers on pages of their own.
 */
export function KindTabs({ kind, hrefFor }: KindTabsProps) {
  const t = useT(workbenchTexts);
  return (
    <nav aria-label={t('kinds.label')} className={classes.kinds}>
      {TASK_KINDS.map((each) => {
        const { Icon } = KIND_LOOKS[each];
        return (
          <Link
            key={each}
            to={isComposite(each) ? composerHref(each) : hrefFor(each)}
            replace={!isComposite(each) && !isComposite(kind)}
            preventScrollReset
            className={classes.kind}
            aria-current={each === kind ? 'page' : undefined}
          >
            <Icon size={18} strokeWidth={1.75} aria-hidden />
            {t(`kinds.${each}`)}
          </Link>
        );
      })}
    </nav>
  );
}
