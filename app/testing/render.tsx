import { MantineProvider } from '@mantine/core';
import type { ActionFunction, LoaderFunction } from '@remix-run/node';
import { createRemixStub } from '@remix-run/testing';
import { render } from '@testing-library/react';
import { createContext, type ReactNode, useContext } from 'react';

type StubOptions = {
  /** Address to start at; its path is also the route's. */
  url?: string;
  loader?: LoaderFunction;
  action?: ActionFunction;
};

const RouteContent = createContext<ReactNode>(null);

function RouteComponent() {
  return useContext(RouteContent);
}

function NothingYet() {
  return null;
}

const future = { v3_fetcherPersist: true, v3_relativeSplatPath: true };

/** Renders a component inside the theme and one Remix route, with whatever loader and action the test gives. */
export function renderInApp(ui: ReactNode, { url = '/', loader, action }: StubOptions = {}) {
  const path = new URL(url, 'http://site.invalid').pathname;
  const Stub = createRemixStub([
    { path, Component: RouteComponent, loader, action, HydrateFallback: NothingYet },
  ]);
  return render(
    <MantineProvider env="test">
      <RouteContent.Provider value={ui}>
        <Stub initialEntries={[url]} future={future} />
      </RouteContent.Provider>
    </MantineProvider>,
  );
}
