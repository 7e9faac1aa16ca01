import type { DramaQuoteView } from '#server/generation/drama/schemas.ts';

/** What `/workbench/dramas/quote` answers. */
export type PlanQuoteAnswer = { quote: DramaQuoteView } | { error: string };
