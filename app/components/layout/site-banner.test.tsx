import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { withoutDismissed } from '#app/lib/dismissed.ts';
import { LanguageProvider } from '#app/lib/language.tsx';
import { renderInApp } from '#app/testing/render.tsx';
import type { Banner } from '#server/operations/schemas.ts';
import { SiteBanner } from './site-banner.tsx';

const BANNER: Banner = {
  announcements: [
    { id: 'a1', level: 'info', text: { en: 'New models are here.', 'zh-CN': '新模型已上线。' } },
    { id: 'a2', level: 'warning', text: { en: 'Work on the database tonight.' } },
  ],
  pauses: [{ scope: 'video', reason: 'The upstream is down.', pausedAt: new Date() }],
};

afterEach(() => {
  // biome-ignore lint/suspicious/noDocumentCookie: taken away again
  document.cookie = 'sidelane_dismissed=; Max-Age=0; Path=/';
});

describe('the banner of the site', () => {
  it('says what is paused and why, and what is announced, politely', () => {
    renderInApp(<SiteBanner banner={BANNER} />);
    const banner = screen.getByRole('status', { name: 'News from this site' });
    expect(banner).toHaveTextContent('New video tasks are paused. The upstream is down.');
    expect(banner).toHaveTextContent('New models are here.');
  });

  it('speaks the page’s language, and marks what is not written in it', () => {
    renderInApp(
      <LanguageProvider value="zh-CN">
        <SiteBanner banner={BANNER} />
      </LanguageProvider>,
    );
    const banner = screen.getByRole('status');
    expect(banner).toHaveTextContent('新模型已上线。');
    expect(within(banner).getByText('Work on the database tonight.')).toHaveAttribute('lang', 'en');
  });

  it('keeps a dismissed announcement away, in the next answer of the server too', async () => {
    renderInApp(<SiteBanner banner={BANNER} />);
    const [first] = await screen.findAllByRole('button', { name: 'Dismiss this announcement' });
    await userEvent.click(first as HTMLElement);
    expect(screen.queryByText('New models are here.')).not.toBeInTheDocument();
    expect(screen.getByText('Work on the database tonight.')).toBeInTheDocument();
    expect(document.cookie).toContain('a1');
    expect(withoutDismissed(BANNER, document.cookie).announcements.map(({ id }) => id)).toEqual(['a2']);
    expect(withoutDismissed(BANNER, null)).toEqual(BANNER);
  });

  it('is there without words when there is nothing to say, so that what comes is read out', () => {
    renderInApp(<SiteBanner banner={{ announcements: [], pauses: [] }} />);
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
  });
});
