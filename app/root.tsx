import '@mantine/core/styles.layer.css';
import './styles.css';
import { ColorSchemeScript, MantineProvider, mantineHtmlProps } from '@mantine/core';
import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react';
import { type ReactNode, useEffect } from 'react';
import { AppFrame } from '#app/components/layout/app-frame.tsx';
import { ErrorPage } from '#app/components/layout/error-page.tsx';
import { SiteBanner } from '#app/components/layout/site-banner.tsx';
import { NotificationBell } from '#app/components/notifications/notification-bell.tsx';
import { useCspNonce } from '#app/lib/csp-nonce.tsx';
import { withoutDismissed } from '#app/lib/dismissed.ts';
import { LanguageProvider } from '#app/lib/language.tsx';
import { chooseTimeZone, PageClockProvider, tellTimeZone } from '#app/lib/page-clock.tsx';
import { chooseLanguage } from '#app/locales/languages.ts';
import { cssVariables, theme } from '#app/theme.ts';

export const meta: MetaFunction = () => [{ title: 'Sidelane' }];

export const links: LinksFunction = () => [{ rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }];

/** Who is signed in and what they have: the frame of every page. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const cookieHeader = request.headers.get('cookie');
  const language = chooseLanguage({
    chosen: context.user?.language,
    cookieHeader,
    acceptLanguage: request.headers.get('accept-language'),
  });
  const timeZone = chooseTimeZone({ chosen: context.user?.timeZone, cookieHeader });
  const { billing, notifications, operations } = context.trpc;
  const [banner, balance, unread] = await Promise.all([
    // Visitors' pages need nothing else of the database. The procedure has logged what went wrong.
    operations.banner().catch(() => null),
    context.user ? billing.balance() : null,
    context.user ? notifications.unreadCount() : 0,
  ]);
  return {
    user: context.user,
    balance,
    unread,
    banner: banner && withoutDismissed(banner, cookieHeader),
    language,
    timeZone,
    renderedAt: Date.now(),
  };
}

/** The document. Also around errors, when the loader's data may be missing. */
export function Layout({ children }: { children: ReactNode }) {
  const nonce = useCspNonce();
  const data = useRouteLoaderData<typeof loader>('root');
  const language = data?.language ?? 'en';
  const clock = { timeZone: data?.timeZone ?? null, renderedAt: data?.renderedAt ?? null };
  useEffect(tellTimeZone, []);

  return (
    <html lang={language} {...mantineHtmlProps}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f5f1" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#161513" />
        <Meta />
        <Links />
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" suppressHydrationWarning />
      </head>
      <body>
        <LanguageProvider value={language}>
          <PageClockProvider value={clock}>
            <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
              <AppFrame
                user={data?.user ?? null}
                balanceCredits={data?.balance?.balanceCredits ?? null}
                bell={<NotificationBell unread={data?.unread ?? 0} />}
                banner={<SiteBanner banner={data?.banner ?? null} />}
              >
                {children}
              </AppFrame>
            </MantineProvider>
          </PageClockProvider>
        </LanguageProvider>
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  return <ErrorPage error={useRouteError()} />;
}
