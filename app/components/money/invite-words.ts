import type { Tone } from '#app/components/ui/tone-badge.tsx';
import { formatCredits } from '#app/lib/format.ts';
import type { Language } from '#app/locales/languages.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { InviteStatus, InviteTerms } from '#server/invites/schemas.ts';

/** Who reads the terms: the one who invites, or the one who was invited. */
export type InviteSide = 'inviter' | 'invitee';

/** The terms of invites, a sentence each. Empty while rewards are switched off. */
export function inviteTerms(terms: InviteTerms, side: InviteSide, language: Language = 'en'): string[] {
  if (!terms.open) return [];
  const t = moneyTexts.in(language);
  const days = terms.coolingOffDays;
  const own = [
    rewards(terms, side, language),
    days === 0 ? t(`inviteTerms.${side}.atOnce`) : t(`inviteTerms.${side}.wait`, { count: days }),
    t('inviteTerms.back'),
  ];
  if (side === 'invitee') return own;
  return [...own, t('inviteTerms.cap', { count: terms.monthlyCap }), t('inviteTerms.once')];
}

/** Who gets what; the one who reads comes first, and nobody is promised nothing. */
function rewards(terms: InviteTerms, side: InviteSide, language: Language): string {
  const { inviterCredits, inviteeCredits } = terms;
  const [mine, theirs] =
    side === 'inviter' ? [inviterCredits, inviteeCredits] : [inviteeCredits, inviterCredits];
  const who = mine > 0 && theirs > 0 ? 'both' : mine > 0 ? 'you' : 'they';
  return moneyTexts.in(language)(`inviteTerms.${side}.${who}`, {
    inviter: formatCredits(inviterCredits, language),
    invitee: formatCredits(inviteeCredits, language),
  });
}

type Look = { label: string; tone: Tone; next: string | null };

const TONES: Record<InviteStatus, Tone> = {
  bound: 'idle',
  qualified: 'busy',
  rewarded: 'good',
  refused: 'bad',
  clawed_back: 'bad',
};

/** How a state of an invite is shown, and what comes next. */
export function inviteLook(status: InviteStatus, language: Language = 'en'): Look {
  const t = moneyTexts.in(language);
  const waits = status === 'bound' || status === 'qualified';
  return {
    label: t(`inviteStatus.${status}`),
    tone: TONES[status],
    next: waits ? t(`inviteNext.${status}`) : null,
  };
}
