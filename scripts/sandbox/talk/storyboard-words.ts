/** Phrases of storyboards, by language. Narrations are short enough to be spoken within three seconds. */

type Words = {
  style: string;
  characters: readonly { name: string; look: string; voice: string }[];
  scenes: readonly { title: string; place: string }[];
  framings: readonly string[];
  motions: readonly string[];
  narrations: readonly string[];
  picture(input: { subject: string; place: string; names: string; framing: string; number: number }): string;
};

export const ENGLISH: Words = {
  style: 'Soft watercolour, warm evening light',
  characters: [
    { name: 'Mara', look: 'a young woman with short dark hair in a yellow raincoat', voice: 'nova' },
    { name: 'Jonas', look: 'an old man with a grey beard and a blue cap', voice: 'onyx' },
  ],
  scenes: [
    { title: 'The harbour', place: 'a small harbour with wooden boats' },
    { title: 'The hill', place: 'a green hill above the town' },
  ],
  framings: ['wide shot', 'close-up', 'medium shot', 'seen from above'],
  motions: [
    'The camera moves slowly forward.',
    'The camera pans from left to right.',
    'The light changes while the camera stays.',
    'The camera rises gently.',
  ],
  narrations: ['It began with {s}.', 'Nobody expected {s}.', 'Then came {s}.', 'And {s} stayed.'],
  picture: ({ subject, place, names, framing, number }) =>
    `${subject}, ${place}, with ${names}, ${framing}, shot ${number}`,
};

export const CHINESE: Words = {
  style: '柔和水彩，温暖的傍晚光线',
  characters: [
    { name: '小岚', look: '穿黄色雨衣的年轻女子，黑色短发', voice: 'nova' },
    { name: '阿远', look: '留着灰白胡子、戴蓝色帽子的老人', voice: 'onyx' },
  ],
  scenes: [
    { title: '港口', place: '停着木船的小港口' },
    { title: '山坡', place: '小镇上方的绿色山坡' },
  ],
  framings: ['全景', '特写', '中景', '俯视'],
  motions: ['镜头缓缓向前推进。', '镜头从左向右横移。', '镜头不动，光线慢慢变化。', '镜头轻轻升起。'],
  narrations: ['一切从{s}开始。', '没有人料到{s}。', '后来有了{s}。', '{s}留了下来。'],
  picture: ({ subject, place, names, framing, number }) =>
    `${subject}，${place}，${names}，${framing}，第${number}个镜头`,
};
