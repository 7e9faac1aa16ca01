import type { CreateRequest, ReferenceFile } from './provider.ts';
import { toDataUri } from './request-params.ts';

type MediaType = 'image' | 'video' | 'audio';

/**
 * Prompt and files as a list of content items (`{type: "image_url", image_url: {url}, role}`), the shape that vendors
 * of multimodal video models share. Files go in as data URIs.
 */
export async function contentItems(request: CreateRequest): Promise<Record<string, unknown>[]> {
  const files = await Promise.all(request.references.map(mediaItem));
  return [{ type: 'text', text: request.prompt }, ...files];
}

async function mediaItem(file: ReferenceFile): Promise<Record<string, unknown>> {
  const media = mediaType(file) ?? 'image';
  return {
    type: `${media}_url`,
    [`${media}_url`]: { url: await toDataUri(file) },
    role: file.role === 'reference' ? `reference_${media}` : file.role,
  };
}

/** Frames are images; further material may also be a video or a sound. */
export function isContentFile(file: Pick<ReferenceFile, 'role' | 'mime'>): boolean {
  const media = mediaType(file);
  return media !== undefined && (file.role === 'reference' || media === 'image');
}

function mediaType(file: Pick<ReferenceFile, 'mime'>): MediaType | undefined {
  const type = file.mime.split('/')[0];
  return type === 'image' || type === 'video' || type === 'audio' ? type : undefined;
}
