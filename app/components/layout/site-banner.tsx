import { ActionIcon } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { CirclePause, Info, TriangleAlert, X } from 'lucide-react';
import { useState } from 'react';
import { dismissedCookie } from '#app/lib/dismissed.ts';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { bannerTexts } from '#app/locales/banner.ts';
import type { Banner } from '#server/operations/schemas.ts';
import classes from './site-banner.module.css';

type SerializedBanner = {
  announcements: Banner['announcements'];
  pauses: Pick<Banner['pauses'][number], 'scope' | 'reason'>[];
};

/** What administrators tell everybody: what is paused, and announcements, which can be dismissed in this browser. */
export function SiteBanner({ banner }: { banner: SerializedBanner | null }) {
  const t = useT(bannerTexts);
  const language = useLanguage();
  const mounted = useMounted();
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const pauses = banner?.pauses ?? [];
  const shown = (banner?.announcements ?? []).filter(({ id }) => !dismissed.includes(id));

  function dismiss(id: string) {
    const secure = window.location.protocol === 'https:';
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = dismissedCookie(document.cookie, id, secure);
    setDismissed((ids) => [...ids, id]);
    // The button that had the focus is gone.
    document.getElementById('main')?.focus({ preventScroll: true });
  }

  return (
    <div role="status" aria-label={t('label')} className={classes.root}>
      {pauses.map(({ scope, reason }) => (
        <div key={scope} className={classes.line} data-level="warning">
          <CirclePause size={18} aria-hidden="true" className={classes.icon} />
          <p className={classes.text}>
            <strong>{t(`paused.${scope}`)}.</strong> {reason} <span>{t('goesOn')}</span>
          </p>
        </div>
      ))}
      {shown.map(({ id, level, text }) => {
        const translated = text[language];
        const Icon = level === 'warning' ? TriangleAlert : Info;
        return (
          <div key={id} className={classes.line} data-level={level}>
            <Icon size={18} aria-hidden="true" className={classes.icon} />
            <p className={classes.text} lang={translated ? undefined : 'en'}>
              {translated ?? text.en}
            </p>
            {/* Nothing can be dismissed before the script is there. Its place is kept, so that nothing moves. */}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('dismiss')}
              className={classes.dismiss}
              data-ready={mounted}
              disabled={!mounted}
              onClick={() => dismiss(id)}
            >
              <X size={18} aria-hidden="true" />
            </ActionIcon>
          </div>
        );
      })}
    </div>
  );
}
