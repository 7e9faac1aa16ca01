import type { TFunction } from 'i18next';

/**
 * What a parameter is called on the page. The labels of ready-made models have texts, by their English words; what an
 * administrator has called a parameter stays as it is.
 */
export const parameterLabel = (t: TFunction<'workbench'>, label: string): string =>
  t(`parameters.labels.${label}` as 'parameters.labels.Size', { defaultValue: label });
