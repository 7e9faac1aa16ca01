import { Link, useLocation } from '@remix-run/react';
import { FolderOpen, HardDrive, Images, Link2, type LucideIcon, Star, Trash2 } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import classes from './library.module.css';

type Part = {
  key: 'files' | 'favorites' | 'collections' | 'shares' | 'storage' | 'trash';
  to: string;
  Icon: LucideIcon;
};

const PARTS: readonly Part[] = [
  { key: 'files', to: '/library', Icon: Images },
  { key: 'favorites', to: '/library?favorite=1', Icon: Star },
  { key: 'collections', to: '/library/collections', Icon: FolderOpen },
  { key: 'shares', to: '/library/shares', Icon: Link2 },
  { key: 'storage', to: '/library/storage', Icon: HardDrive },
  { key: 'trash', to: '/library?trash=1', Icon: Trash2 },
];

/** The parts of the library, above each of its lists. */
export function LibraryNav() {
  const t = useT(libraryTexts);
  const { pathname, search } = useLocation();
  const here = currentPart(pathname, new URLSearchParams(search));
  return (
    <nav aria-label={t('nav.label')} className={classes.nav}>
      {PARTS.map(({ key, to, Icon }) => (
        <Link
          key={key}
          to={to}
          prefetch="intent"
          className={classes.navLink}
          aria-current={key === here ? 'page' : undefined}
        >
          <Icon size={16} aria-hidden />
          {t(`nav.${key}`)}
        </Link>
      ))}
    </nav>
  );
}

function currentPart(pathname: string, params: URLSearchParams): Part['key'] {
  const part = PARTS.find(({ to }) => to === pathname && to !== '/library')?.key;
  if (part) return part;
  if (params.get('trash') === '1') return 'trash';
  return params.get('favorite') === '1' ? 'favorites' : 'files';
}
