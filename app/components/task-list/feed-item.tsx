import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { TaskCard } from '#app/components/task-card/task-card.tsx';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './task-list.module.css';

type FeedItemProps = {
  task: TaskView;
  returnTo: string;
  requestKey: string;
  /** Whether the card may leave the page while it is far from what is looked at; its place stays. */
  mayRest: boolean;
};

/** A card and its place in the list. */
export const FeedItem = memo(function FeedItem({ task, returnTo, requestKey, mayRest }: FeedItemProps) {
  const place = useRef<HTMLLIElement>(null);
  const height = useRest(place, mayRest);
  return (
    <li ref={place} className={classes.item} style={height === null ? undefined : { height }}>
      {height === null ? <TaskCard task={task} returnTo={returnTo} requestKey={requestKey} /> : null}
    </li>
  );
});

/** So far beyond the window a card is kept ready, in px. */
const NEAR_PX = 1_200;

const setters = new WeakMap<Element, (height: number | null) => void>();
let observer: IntersectionObserver | undefined;

function observe(element: Element, set: (height: number | null) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        // What has the focus stays, wherever it is.
        const rests = !isIntersecting && !target.contains(document.activeElement);
        setters.get(target)?.(rests ? boundingClientRect.height : null);
      }
    },
    { rootMargin: `${NEAR_PX}px 0px` },
  );
  setters.set(element, set);
  observer.observe(element);
  return () => {
    observer?.unobserve(element);
    setters.delete(element);
  };
}

/** The height to keep in px while the card rests; null while it is shown. */
function useRest(place: RefObject<HTMLLIElement>, mayRest: boolean): number | null {
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    const element = place.current;
    if (!mayRest || element === null || typeof IntersectionObserver === 'undefined') return;
    return observe(element, setHeight);
  }, [place, mayRest]);
  return mayRest ? height : null;
}
