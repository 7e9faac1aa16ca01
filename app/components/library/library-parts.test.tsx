import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { LanguageProvider } from '#app/lib/language.tsx';
import { renderInApp } from '#app/testing/render.tsx';
import type { LibraryOutputView, StorageView } from '#server/library/schemas.ts';
import { ArchiveLink } from './archive-link.tsx';
import { FollowUpLinks } from './follow-up-links.tsx';
import { StorageMeter } from './storage-meter.tsx';

const BOUNDS = { mostFiles: 2_000, mostBytes: 8_000_000_000 };

test('a list is downloaded as a whole with what it holds, or it is said why not', () => {
  const { unmount } = renderInApp(
    <ArchiveLink
      filter={{ collection: 'c1', favorite: true }}
      archive={{ ...BOUNDS, files: 12, bytes: 3_400_000, fits: true }}
    />,
  );
  const link = screen.getByRole('link', { name: 'Download all: 12 files, 3.4 MB' });
  expect(link).toHaveAttribute('href', '/files/library.zip?collection=c1&favorite=1');
  unmount();
  renderInApp(<ArchiveLink filter={{}} archive={{ ...BOUNDS, files: 2_001, bytes: 1, fits: false }} />);
  expect(screen.getByText(/takes 2,000 files and 8 GB\. Narrow the list/)).toBeInTheDocument();
  expect(screen.queryByRole('link')).not.toBeInTheDocument();
});

const output = (overrides: Partial<LibraryOutputView>) =>
  ({
    id: 'o1',
    kind: 'video',
    task: { id: 't1', kind: 'drama' },
    followUps: [],
    noFollowUps: null,
    ...overrides,
  }) as LibraryOutputView;

test('a file leads on to models that take it, in words of its kind, or it is said why there are none', () => {
  const film = { slug: 'film', title: 'Film One' };
  const { unmount } = renderInApp(
    <>
      <FollowUpLinks output={output({ followUps: [{ make: 'video', model: film, role: 'reference' }] })} />
      <FollowUpLinks
        output={output({
          id: 'o2',
          kind: 'audio',
          followUps: [{ make: 'video', model: film, role: 'reference' }],
        })}
      />
    </>,
  );
  expect(screen.getByRole('link', { name: 'Use this video with Film One' })).toHaveAttribute(
    'href',
    '/workbench?make=video&model=film&reference=o1&role=reference',
  );
  expect(screen.getByRole('link', { name: 'Use this sound with Film One' })).toBeInTheDocument();
  unmount();
  renderInApp(
    <>
      <FollowUpLinks output={output({ noFollowUps: { why: 'no_model' } })} />
      <FollowUpLinks output={output({ noFollowUps: { why: 'too_large', maxBytes: 20_000_000 } })} />
    </>,
  );
  expect(screen.getByText('No model here takes a video as reference.')).toBeInTheDocument();
  expect(
    screen.getByText('It is larger than 20 MB, the most that a reference may have.'),
  ).toBeInTheDocument();
});

test('the head of the library says how much room is taken, in both languages', () => {
  const storage: StorageView = {
    kinds: [{ kind: 'image', files: 3, bytes: 2_000_000 }],
    trash: { files: 1, bytes: 500_000 },
    uploads: { files: 0, bytes: 0 },
    totalBytes: 2_500_000,
  };
  renderInApp(
    <>
      <StorageMeter storage={storage} />
      <LanguageProvider value="zh-CN">
        <StorageMeter storage={storage} />
      </LanguageProvider>
    </>,
  );
  expect(screen.getByRole('link', { name: '2.5 MB in 4 files' })).toHaveAttribute('href', '/library/storage');
  expect(screen.getByRole('link', { name: '4 个文件，共 2.5 MB' })).toBeInTheDocument();
});
