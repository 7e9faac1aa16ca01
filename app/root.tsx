import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './styles.css';
import { ColorSchemeScript, MantineProvider, mantineHtmlProps } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
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
import type { ReactNode } from 'react';
import { AppFrame } from '#app/components/layout/app-frame.tsx';
import { ErrorPage } from '#app/components/layout/error-page.tsx';
import { useCspNonce } from '#app/lib/csp-nonce.tsx';
import { cssVariables, theme } from '#app/theme.ts';

export const meta: MetaFunction = () => [{ title: 'Sidelane' }];

export const links: LinksFunction = () => [{ rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }];

/** Who is signed in and what they have: the frame of every page. */
export async function loader({ context }: LoaderFunctionArgs) {
  if (!context.user) return { user: null, balance: null };
  const balance = await context.trpc.billing.balance();
  return { user: context.user, balance };
}

/** The document. Also around errors, when the loader's data may be missing. */
export function Layout({ children }: { children: ReactNode }) {
  const nonce = useCspNonce();
  const data = useRouteLoaderData<typeof loader>('root');

  return (
    <html lang="en" {...mantineHtmlProps}>
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
        <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
          <AppFrame user={data?.user ?? null} balanceCredits={data?.balance?.balanceCredits ?? null}>
            {children}
          </AppFrame>
          <Notifications position="bottom-right" />
        </MantineProvider>
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
