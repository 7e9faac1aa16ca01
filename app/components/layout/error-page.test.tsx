import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { commonTexts } from '#app/locales/common.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { ErrorPage, wordsFor } from './error-page.tsx';

const t = commonTexts.in('en');
const response = (status: number, data: unknown) => ({ status, statusText: '', internal: false, data });

it('says what the loader said', () => {
  expect(wordsFor(response(404, 'There is no such task.'), t)).toMatchObject({
    status: 404,
    text: 'There is no such task.',
  });
});

it('never shows what no one wrote for people', () => {
  for (const error of [
    new Error('relation "users" does not exist'),
    response(500, 'connect ECONNREFUSED 10.0.0.7:5432'),
    response(405, 'Error: You made a POST request to "/x" but did not provide an `action`'),
    response(400, { stack: 'at server.ts:1' }),
    'text',
  ]) {
    const { title, text } = wordsFor(error, t);
    expect(`${title} ${text}`).not.toMatch(/relation|ECONNREFUSED|Error:|server\.ts|\[object/);
    expect(text.length).toBeGreaterThan(10);
  }
});

it('has one heading and two ways on', () => {
  renderInApp(<ErrorPage error={response(404, '')} />);
  expect(screen.getByRole('heading', { level: 1 })).toBeVisible();
  expect(screen.getAllByRole('link')).toHaveLength(2);
});
