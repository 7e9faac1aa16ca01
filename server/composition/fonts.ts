import { copyFile, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FilmFault } from './film-fault.ts';

/** For captions and for titles. libass reads every font that it is shown, so it is shown no more. */
const FONT_FILES = ['NotoSansHans-Medium.otf', 'NotoSansHans-Bold.otf'];

/** Inside the working directory, so that no name in a filter needs an escape. */
export const FONTS_DIRECTORY = 'fonts';

export const FONT_CONFIG_FILE = 'fonts.conf';

/** No font of the system is looked at: the film looks the same everywhere, and no cache is written elsewhere. */
const FONT_CONFIG = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="cwd">${FONTS_DIRECTORY}</dir><cachedir prefix="cwd">font-cache</cachedir></fontconfig>
`;

/**
 * Puts the fonts of the package, which hold Latin and Chinese characters, and their configuration into `workDir`.
 *
 * @throws FilmFault when the package is not there
 */
export async function provideFonts(workDir: string): Promise<void> {
  const target = join(workDir, FONTS_DIRECTORY);
  await mkdir(target, { recursive: true });
  await writeFile(join(workDir, FONT_CONFIG_FILE), FONT_CONFIG);
  for (const file of FONT_FILES) {
    const font = join(target, file);
    if (await exists(font)) continue;
    try {
      await copyFile(join(packagedFonts(), file), `${font}.part`);
    } catch {
      throw new FilmFault(
        'unavailable',
        'The font for titles and captions is missing. Install the npm package @embedpdf/fonts-sc again, then try again.',
      );
    }
    await rename(`${font}.part`, font);
  }
}

const require = createRequire(import.meta.url);

/** The package names its entry only, which lies in a folder beside the one with the fonts. */
const packagedFonts = () => join(dirname(require.resolve('@embedpdf/fonts-sc')), '..', 'fonts');

export const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
