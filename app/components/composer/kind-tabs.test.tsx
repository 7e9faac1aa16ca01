import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { KindTabs } from './kind-tabs.tsx';

it('leads to the composer of every kind; agents and dramas have their own pages', () => {
  renderInApp(<KindTabs kind="agent" hrefFor={(make) => `/workbench?make=${make}`} />);
  const tabs = screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(tabs).toEqual([
    ['Image', '/workbench?make=image'],
    ['Video', '/workbench?make=video'],
    ['Audio', '/workbench?make=audio'],
    ['Text', '/workbench?make=text'],
    ['Agent', '/workbench/agents/new'],
    ['Drama', '/workbench/dramas/new'],
  ]);
  expect(screen.getByRole('link', { name: 'Agent' })).toHaveAttribute('aria-current', 'page');
});
