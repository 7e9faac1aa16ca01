import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/**
 * The look: a light table. Warm paper by day, a darkroom by night, and one accent, the orange of a safelight. Every
 * text pair holds WCAG AA (4.5 : 1): see `cssVariables`.
 */
const safelight: MantineColorsTuple = [
  '#fff3ea',
  '#ffe4d1',
  '#ffc8a1',
  '#ffab72',
  '#ff9350',
  '#f97a2c',
  '#e0621a',
  '#c04c0c',
  '#a33f08',
  '#7d3008',
];

const paper: MantineColorsTuple = [
  '#faf9f6',
  '#f2f0eb',
  '#e6e3dc',
  '#d3cfc6',
  '#b0aba0',
  '#8d887d',
  '#6a665d',
  '#4f4c45',
  '#35332e',
  '#211f1c',
];

/** Mantine's dark scale, warmed: 7 is the page, 6 a card, 4 a border, 0 the text. */
const darkroom: MantineColorsTuple = [
  '#e9e5dd',
  '#c9c4ba',
  '#a9a398',
  '#857f75',
  '#3d3934',
  '#2e2b27',
  '#211f1c',
  '#161513',
  '#100f0d',
  '#0a0908',
];

const sans =
  "system-ui, -apple-system, 'Segoe UI Variable Text', 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";
const mono = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace";

export const theme = createTheme({
  primaryColor: 'safelight',
  primaryShade: 7,
  colors: { safelight, gray: paper, dark: darkroom },
  black: '#211f1c',
  white: '#ffffff',
  fontFamily: sans,
  fontFamilyMonospace: mono,
  headings: {
    fontFamily: sans,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: 'clamp(1.6rem, 1.3rem + 1.2vw, 2.1rem)', lineHeight: '1.15' },
      h2: { fontSize: '1.3rem', lineHeight: '1.25' },
      h3: { fontSize: '1.05rem', lineHeight: '1.35' },
    },
  },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '18px' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: 'hover' } },
    Button: { defaultProps: { radius: 'md' } },
    Checkbox: { defaultProps: { radius: 'sm' } },
    Paper: { defaultProps: { radius: 'lg' } },
  },
});

/** Surfaces and lines that both schemes name alike; components use these and never a raw colour. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f5f1',
    '--mantine-color-dimmed': '#625e56',
    '--mantine-color-anchor': '#a33f08',
    '--mantine-color-error': '#b3123b',
    '--mantine-color-placeholder': '#716c63',
    '--sl-surface': '#ffffff',
    '--sl-surface-sunken': '#efece6',
    '--sl-line': '#e0dcd4',
    '--sl-line-strong': '#8d887d',
    '--sl-accent-text': '#a33f08',
    '--sl-glow': 'rgba(249, 122, 44, 0.10)',
    '--sl-film': '#211f1c',
  },
  dark: {
    '--mantine-color-body': '#161513',
    '--mantine-color-dimmed': '#a9a398',
    '--mantine-color-anchor': '#ffab72',
    '--mantine-color-error': '#ff9bb0',
    '--mantine-color-placeholder': '#948e83',
    '--sl-surface': '#1e1c19',
    '--sl-surface-sunken': '#121110',
    '--sl-line': '#35322d',
    '--sl-line-strong': '#7a746a',
    '--sl-accent-text': '#ff9350',
    '--sl-glow': 'rgba(249, 122, 44, 0.13)',
    '--sl-film': '#0a0908',
  },
});
