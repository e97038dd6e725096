import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';

/** Loaded when it is asked for the first time. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the palette, also by Ctrl-K or Cmd-K, wherever the focus is. */
export const PaletteButton = () => {
  const [askedFor, setAskedFor] = useState(0);
  const open = () => setAskedFor((times) => times + 1);
  useHotkeys([['mod+K', open]], []);
  const search = <IconSearch size={18} stroke={1.6} aria-hidden />;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={search}
        rightSection={<Kbd size="xs">{isMac ? '⌘ K' : 'Ctrl K'}</Kbd>}
        onClick={open}
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
      >
        Go to
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label="Go to a page or a server"
        onClick={open}
      >
        {search}
      </ActionIcon>
      {askedFor > 0 && (
        <Suspense fallback={null}>
          <Palette askedFor={askedFor} />
        </Suspense>
      )}
    </>
  );
};
