import { expect, it } from 'vitest';
import { leaveFor } from './leave-for.ts';

const post = (accept: string) =>
  new Request('https://site.example.com/credits/buy', { method: 'POST', headers: { accept } });
const leave = { url: 'https://pay.example.com/c/1', via: '/orders/1' };

it('sends a scripted form straight to the other site, by a full page load', () => {
  const response = leaveFor(post('*/*'), leave);
  expect(response.headers.get('location')).toBe('https://pay.example.com/c/1');
  expect(response.headers.get('x-remix-reload-document')).toBe('true');
});

it('sends a plain form to the page of ours that links there, because a form may not lead off this site', () => {
  const response = leaveFor(post('text/html,application/xhtml+xml,*/*;q=0.8'), leave);
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/orders/1');
});
