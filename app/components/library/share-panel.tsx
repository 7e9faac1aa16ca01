import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { Form } from '@remix-run/react';
import { Link2 } from 'lucide-react';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import type { ShareView } from '#server/library/schemas.ts';
import { SHARE_EXPIRIES } from '#server/library/shared.ts';
import classes from './library.module.css';

type SharePanelProps = {
  shares: readonly ShareView[];
  /** Where the site is, for whole addresses. */
  origin: string;
  /** A link was made just now. */
  isMade: boolean;
};

/** Makes addresses under which anyone may see a file, and takes them back. */
export function SharePanel({ shares, origin, isMade }: SharePanelProps) {
  const t = useT(libraryTexts);
  const open = shares.filter(({ state }) => state === 'open');
  return (
    <Panel title={t('share.title')} id="share" description={t('share.text')}>
      <div className={classes.stack}>
        <Form method="post" preventScrollReset className={classes.stack}>
          <NativeSelect
            name="expires"
            label={t('share.expires')}
            defaultValue="7"
            data={SHARE_EXPIRIES.map((value) => ({ value, label: t(`share.expiry.${value}`) }))}
          />
          <Checkbox name="showPrompt" value="on" label={t('share.showPrompt')} />
          <div>
            <Button type="submit" name="intent" value="share" leftSection={<Link2 size={16} aria-hidden />}>
              {t('share.create')}
            </Button>
          </div>
        </Form>
        <div role="status">{isMade ? t('share.made') : ''}</div>
        {open.length > 0 ? (
          <ul className={classes.shareList}>
            {open.map((share, place) => (
              <li key={share.id}>
                <CopyField
                  label={t('share.link', { number: open.length - place })}
                  value={`${origin}${share.path}`}
                />
                <div className={classes.shareFoot}>
                  <span>
                    {share.expiresAt ? (
                      <>
                        {t('share.until')} <TimeAgo at={share.expiresAt} style="absolute" />
                      </>
                    ) : (
                      t('share.forever')
                    )}
                    {share.showPrompt ? ` · ${t('share.withPrompt')}` : ''}
                    {` · ${t('share.views', { count: share.views })}`}
                  </span>
                  <Form method="post" preventScrollReset>
                    <input type="hidden" name="shareId" value={share.id} />
                    <ConfirmButton
                      name="intent"
                      value="revoke-share"
                      size="compact-sm"
                      variant="default"
                      confirmLabel={t('share.revokeYes')}
                      aria-label={t('share.revokeName', { number: open.length - place })}
                    >
                      {t('share.revoke')}
                    </ConfirmButton>
                  </Form>
                </div>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </Panel>
  );
}
