import { composeFilm } from '../compose-film.ts';
import { clipShot, optionsFor, orderOf } from './film-fixtures.ts';

/** A process in the middle of a film that takes for ever, for the test of who outlives whom. */
const [, , workDir = '', clip = ''] = process.argv;
const shot = await clipShot({ visual: { type: 'clip', path: clip, mime: 'video/mp4' }, seconds: 600 });
const order = orderOf([shot], { fps: 60, size: { width: 1_920, height: 1_080 } });
await composeFilm(order, optionsFor(workDir));
