import { Link } from '@remix-run/react';
import { Film, Image as ImageIcon, Music, Type } from 'lucide-react';
import { KINDS, type Kind } from '#server/generation/status.ts';
import classes from './composer.module.css';

const LOOKS = {
  image: { label: 'Image', Icon: ImageIcon },
  video: { label: 'Video', Icon: Film },
  audio: { label: 'Audio', Icon: Music },
  text: { label: 'Text', Icon: Type },
} as const;

type KindTabsProps = { kind: Kind; hrefFor: (kind: Kind) => string };

/** What to make. Links, so that they work before hydration and can be opened elsewhere; the prompt stays. */
export function KindTabs({ kind, hrefFor }: KindTabsProps) {
  return (
    <nav aria-label="What to make" className={classes.kinds}>
      {KINDS.map((each) => {
        const { label, Icon } = LOOKS[each];
        return (
          <Link
            key={each}
            to={hrefFor(each)}
            replace
            preventScrollReset
            className={classes.kind}
            aria-current={each === kind ? 'page' : undefined}
          >
            <Icon size={17} strokeWidth={1.75} aria-hidden />
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
