import { ActionIcon } from '@mantine/core';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import classes from './viewer.module.css';

const STEP = 1.5;
const MOST = 12;

/** How far a picture is zoomed in, 1 when it fits its window, and where its middle is (0–1 of each side). */
export type Zoom = { scale: number; x: number; y: number };
export const FIT: Zoom = { scale: 1, x: 0.5, y: 0.5 };

type ZoomStageProps = {
  src: string;
  alt: string;
  width: number | null;
  height: number | null;
  /** Shared by two stages that are compared. */
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
};

/**
 * A picture that can be zoomed and moved: by buttons and keys, by the wheel with Ctrl (or a pinch), by double click, by
 * dragging, and by the scroll bars of its window. Without a script it fits its window.
 */
export function ZoomStage({ src, alt, width, height, zoom, onZoom }: ZoomStageProps) {
  const t = useT(libraryTexts);
  const windowRef = useRef<HTMLElement>(null);
  const zoomed = zoom.scale > 1;
  const scaleTo = useCallback(
    (scale: number) => {
      const next = Math.min(MOST, Math.max(1, scale));
      onZoom(next < 1.01 ? FIT : { ...zoom, scale: next });
    },
    [zoom, onZoom],
  );
  useScrolledTo(windowRef, zoom);
  useWheel(windowRef, (factor) => scaleTo(zoom.scale * factor));
  const drag = useDrag(windowRef);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === '+' || event.key === '=') scaleTo(zoom.scale * STEP);
    else if (event.key === '-') scaleTo(zoom.scale / STEP);
    else if (event.key === '0') onZoom(FIT);
    // Zoomed in, the arrow keys move the picture and do nothing else.
    else if (!(zoomed && event.key.startsWith('Arrow'))) return;
    event.stopPropagation();
  };

  return (
    <div className={classes.zoom}>
      <section
        ref={windowRef}
        className={classes.zoomWindow}
        data-zoomed={zoomed || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('viewer.picture')}
        onKeyDown={onKeyDown}
        onDoubleClick={() => (zoomed ? onZoom(FIT) : scaleTo(3))}
        onScroll={({ currentTarget }) => {
          if (zoomed) onZoom({ ...zoom, ...middleOf(currentTarget) });
        }}
        {...drag}
      >
        <div
          className={classes.zoomCanvas}
          style={{ width: `${zoom.scale * 100}%`, height: `${zoom.scale * 100}%` }}
        >
          <img
            src={src}
            alt={alt}
            width={width ?? undefined}
            height={height ?? undefined}
            draggable={false}
            className={classes.zoomImage}
          />
        </div>
      </section>
      <div className={classes.zoomBar}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('viewer.zoomOut')}
          disabled={!zoomed}
          onClick={() => scaleTo(zoom.scale / STEP)}
        >
          <ZoomOut size={18} aria-hidden />
        </ActionIcon>
        <span className={classes.zoomLevel} aria-live="polite">
          {t('viewer.zoomLevel', { percent: Math.round(zoom.scale * 100) })}
        </span>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('viewer.zoomIn')}
          disabled={zoom.scale >= MOST}
          onClick={() => scaleTo(zoom.scale * STEP)}
        >
          <ZoomIn size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('viewer.zoomFit')}
          disabled={!zoomed}
          onClick={() => onZoom(FIT)}
        >
          <Maximize size={18} aria-hidden />
        </ActionIcon>
      </div>
    </div>
  );
}

/** What is in the middle of a scrolled window, in parts of the whole. */
function middleOf(element: HTMLElement): { x: number; y: number } {
  return {
    x: (element.scrollLeft + element.clientWidth / 2) / element.scrollWidth,
    y: (element.scrollTop + element.clientHeight / 2) / element.scrollHeight,
  };
}

/** Keeps the middle in the middle when the scale changes, or another stage was moved. */
function useScrolledTo(ref: RefObject<HTMLElement | null>, { scale, x, y }: Zoom): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new scale moves everything
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const now = middleOf(element);
    // Rounding of scroll positions is no movement.
    if (Math.abs(now.x - x) > 0.002) element.scrollLeft = x * element.scrollWidth - element.clientWidth / 2;
    if (Math.abs(now.y - y) > 0.002) element.scrollTop = y * element.scrollHeight - element.clientHeight / 2;
  }, [ref, scale, x, y]);
}

/** The wheel with Ctrl, which a pinch on a touchpad is, too. React's own listeners cannot keep the page from zooming. */
function useWheel(ref: RefObject<HTMLElement | null>, onFactor: (factor: number) => void): void {
  const latest = useRef(onFactor);
  latest.current = onFactor;
  useEffect(() => {
    const element = ref.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      latest.current(Math.exp(-event.deltaY / 200));
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [ref]);
}

/** Dragging with a mouse scrolls; fingers do so by themselves. */
function useDrag(ref: RefObject<HTMLElement | null>) {
  const [isDragging, setDragging] = useState(false);
  return {
    'data-dragging': isDragging || undefined,
    onPointerDown(event: PointerEvent) {
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      setDragging(true);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent) {
      if (isDragging) ref.current?.scrollBy(-event.movementX, -event.movementY);
    },
    onPointerUp: () => setDragging(false),
    onPointerCancel: () => setDragging(false),
  };
}
