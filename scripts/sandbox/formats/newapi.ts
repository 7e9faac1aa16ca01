import type { WireFormat } from './format.ts';
import { aggregatorFormat, openaiShapedErrors, taskErrors } from './newapi/errors.ts';
import { midjourneyErrors, midjourneyRoutes } from './newapi/midjourney.ts';
import { sunoRoutes } from './newapi/suno.ts';
import { taskVideosEndpoint, videoRoutes } from './newapi/video.ts';
import { openaiRoutes } from './openai.ts';

/**
 * An aggregator of the one-api/new-api family below `/newapi`: OpenAI's shape, the unified video route, music in the
 * manner of Suno and pictures in that of Midjourney. One account and one table of tasks, errors by route family.
 */
export const newapiFormats: readonly WireFormat[] = [
  aggregatorFormat({
    prefix: '/newapi',
    routes: openaiRoutes('/newapi/v1', taskVideosEndpoint),
    errors: openaiShapedErrors,
  }),
  aggregatorFormat({ prefix: '/newapi/v1/video', routes: videoRoutes, errors: taskErrors }),
  aggregatorFormat({ prefix: '/newapi/suno', routes: sunoRoutes, errors: taskErrors }),
  aggregatorFormat({ prefix: '/newapi/mj', routes: midjourneyRoutes, errors: midjourneyErrors }),
];
