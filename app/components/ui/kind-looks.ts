import {
  Clapperboard,
  FileText,
  Film,
  Image as ImageIcon,
  type LucideIcon,
  Music,
  Workflow,
} from 'lucide-react';
import { type CompositeKind, isComposite, type TaskKind } from '#server/generation/status.ts';

/** Every kind of task as an icon; its words are `kind` and `kinds` of the area `states`. */
export const KIND_LOOKS: Readonly<Record<TaskKind, { Icon: LucideIcon }>> = {
  image: { Icon: ImageIcon },
  video: { Icon: Film },
  audio: { Icon: Music },
  text: { Icon: FileText },
  agent: { Icon: Workflow },
  drama: { Icon: Clapperboard },
};

const PAGES: Readonly<Record<CompositeKind, string>> = {
  agent: '/workbench/agents',
  drama: '/workbench/dramas',
};

/** The page of a task; agents and dramas have pages of their own. */
export function taskHref({ id, kind }: { id: string; kind: TaskKind }): string {
  return isComposite(kind) ? `${PAGES[kind]}/${id}` : `/workbench/tasks/${id}`;
}

/** Where a composite is ordered. */
export function composerHref(kind: CompositeKind): string {
  return `${PAGES[kind]}/new`;
}
