import { lazy, Suspense, useState } from 'react';
import type { LightboxProps } from './lightbox.tsx';

const Lightbox = lazy(() => import('./lightbox.tsx'));

/**
 * The lightbox, fetched when the first picture is opened. It stays from then on, so that it can give the focus back as it
 * closes.
 */
export function LazyLightbox(props: LightboxProps) {
  const [isWanted, setWanted] = useState(false);
  const isOpen = props.index !== null;
  if (isOpen && !isWanted) setWanted(true);
  return isWanted ? (
    <Suspense fallback={null}>
      <Lightbox {...props} />
    </Suspense>
  ) : null;
}
