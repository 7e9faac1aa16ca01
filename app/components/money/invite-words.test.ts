import { describe, expect, it } from 'vitest';
import { makeTerms } from '#app/testing/money-fixtures.ts';
import { inviteTerms } from './invite-words.ts';

describe('inviteTerms', () => {
  it('tells the one who invites both rewards, the wait, the way back and the monthly limit', () => {
    const text = inviteTerms(makeTerms(), 'inviter').join(' ');
    expect(text).toMatch(/You get 200 credits, and they get 100 credits\./);
    expect(text).toMatch(/paid 7 days after their first order was paid, if it has not been refunded by then/);
    expect(text).toMatch(/refunded later, the rewards are taken back/);
    expect(text).toMatch(/At most 20 of your invites are rewarded per calendar month/);
  });

  it('tells the invited what both get, and nothing of the inviter’s limit', () => {
    const text = inviteTerms(makeTerms(), 'invitee').join(' ');
    expect(text).toMatch(/You get 100 credits.*whoever invited you gets 200 credits\./);
    expect(text).toMatch(/7 days after your first order was paid/);
    expect(text).not.toMatch(/At most/);
  });

  it.each([
    [{ inviteeCredits: 0 }, 'You get 200 credits.', 'Whoever invited you gets 200 credits.'],
    [{ inviterCredits: 0 }, 'They get 100 credits.', 'You get 100 credits.'],
  ])('promises nobody nothing: %j', (overrides, inviter, invitee) => {
    expect(inviteTerms(makeTerms(overrides), 'inviter')[0]).toBe(inviter);
    expect(inviteTerms(makeTerms(overrides), 'invitee')[0]).toBe(invitee);
  });

  it.each([
    [0, 'paid as soon as their first order was paid'],
    [1, 'paid a day after their first order was paid'],
  ])('words a wait of %d days', (coolingOffDays, words) => {
    expect(inviteTerms(makeTerms({ coolingOffDays }), 'inviter').join(' ')).toContain(words);
  });

  it('promises nothing while rewards are switched off', () => {
    expect(inviteTerms(makeTerms({ open: false }), 'inviter')).toEqual([]);
    expect(inviteTerms(makeTerms({ open: false }), 'invitee')).toEqual([]);
  });
});
