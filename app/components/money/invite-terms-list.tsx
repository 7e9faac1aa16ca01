import { useLanguage } from '#app/lib/language.tsx';
import type { InviteTerms } from '#server/invites/schemas.ts';
import { type InviteSide, inviteTerms } from './invite-words.ts';
import classes from './money.module.css';

export function InviteTermsList({ terms, side }: { terms: InviteTerms; side: InviteSide }) {
  const language = useLanguage();
  return (
    <ul className={classes.terms}>
      {inviteTerms(terms, side, language).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
