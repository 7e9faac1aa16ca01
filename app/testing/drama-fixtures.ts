import type {
  DramaPartView,
  DramaPlan,
  DramaQuoteView,
  DramaShot,
  DramaView,
} from '#server/generation/drama/schemas.ts';
import { COMPOSITE_ID, makeChild, makeChildOutput, makeComposite } from './composite-fixtures.ts';
import { makeTask } from './task-fixtures.ts';

/** Views of short dramas as the procedures give them, for tests of pages. */

export function makeShot(overrides: Partial<DramaShot> = {}): DramaShot {
  return {
    id: 's1',
    sceneId: 'p1',
    characterIds: ['c1'],
    seconds: 5,
    picturePrompt: 'A lighthouse in fog',
    motionPrompt: 'The fog drifts',
    narration: 'Nobody had come for years.',
    speakerId: '',
    ...overrides,
  };
}

export function makePlan(overrides: Partial<DramaPlan> = {}): DramaPlan {
  return {
    title: 'The letter',
    style: 'Watercolour',
    characters: [{ id: 'c1', name: 'Mara', look: 'Grey coat', voice: 'Low and calm' }],
    scenes: [{ id: 'p1', title: 'The tower', place: 'A lighthouse' }],
    shots: [
      makeShot(),
      makeShot({ id: 's2', picturePrompt: 'A bottle in the surf', narration: 'Until the bottle.' }),
      makeShot({ id: 's3', picturePrompt: 'Hands with a letter', narration: 'It was for her.' }),
    ],
    ...overrides,
  };
}

export function makeDramaQuote(overrides: Partial<DramaQuoteView> = {}): DramaQuoteView {
  const cost = { pictureCredits: 4, clipCredits: 10, voiceCredits: 2 };
  return {
    shots: { s1: cost, s2: cost, s3: cost },
    characterCredits: 4,
    totalCredits: 52,
    balanceCredits: 100,
    affordable: true,
    seconds: 17,
    ...overrides,
  };
}

export function makePart(overrides: Partial<DramaPartView> = {}): DramaPartView {
  return {
    key: 'shot:s1:picture:1',
    status: 'planned',
    takenOver: false,
    problem: null,
    child: null,
    ...overrides,
  };
}

/** A finished part of each kind. */
export function makeDoneParts(id: string): DramaView['shots'][number] {
  const done = (name: string, kind: 'image' | 'video' | 'audio') =>
    makePart({
      key: `shot:${id}:${name}:1`,
      status: 'done',
      child: makeChild({ kind, outputs: [makeChildOutput({ id: `${id}-${name}`, kind })] }),
    });
  return {
    id,
    picture: done('picture', 'image'),
    clip: done('clip', 'video'),
    voice: done('voice', 'audio'),
  };
}

/** In review, waiting for its user. */
export function makeDrama(overrides: Partial<DramaView> = {}): DramaView {
  return {
    ...makeComposite({ waitingFor: 'user', waitingUntil: new Date('2026-01-12T10:00:00Z') }),
    task: makeTask({
      id: COMPOSITE_ID,
      kind: 'drama',
      status: 'waiting',
      model: { slug: 'words', title: 'Words One' },
      prompt: 'A lighthouse keeper finds a letter',
      params: {},
      cancel: 'request',
      orderedOutputs: 0,
    }),
    phase: 'review',
    settings: {
      source: 'idea',
      text: 'A lighthouse keeper finds a letter',
      models: { storyboard: 'words', picture: 'paint', clip: 'film', voice: 'speak' },
      ratio: '16:9',
      shots: 3,
      captions: 'soft',
      titleCard: true,
      references: [],
    },
    modelTitles: { storyboard: 'Words One', picture: 'Paint One', clip: 'Film One', voice: 'Voice One' },
    plan: makePlan(),
    planVersion: 1,
    quote: makeDramaQuote(),
    storyboard: { tries: 1, problem: null, child: null },
    characters: {},
    shots: [],
    film: null,
    zipUrl: null,
    composeProblem: null,
    ...overrides,
  };
}

/** With its film done. */
export function makeDoneDrama(overrides: Partial<DramaView> = {}): DramaView {
  const drama = makeDrama();
  return {
    ...drama,
    waitingFor: null,
    waitingUntil: null,
    can: { pause: false, resume: false, stop: false, cancel: false },
    task: {
      ...drama.task,
      status: 'succeeded',
      finishedAt: new Date('2026-01-05T10:09:00Z'),
      cancel: 'none',
    },
    phase: 'done',
    shots: ['s1', 's2', 's3'].map(makeDoneParts),
    film: {
      videoUrl: '/files/outputs/film',
      posterUrl: '/files/outputs/poster',
      seconds: 17,
      captions: { srtUrl: '/files/outputs/srt', vttUrl: '/files/outputs/vtt' },
    },
    zipUrl: `/files/dramas/${COMPOSITE_ID}/shots.zip`,
    ...overrides,
  };
}
