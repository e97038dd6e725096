import { ActionIcon, Button, Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';

/** Loaded when it is asked for the first time. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export type PaletteProps = {
  /** How often it was asked for, by the button or the keyboard. */
  paletteCalls: number;
  onPalette: () => void;
};

/** Opens the palette. */
export const PaletteButton = ({ paletteCalls, onPalette }: PaletteProps) => {
  const search = <IconSearch size={18} stroke={1.6} aria-hidden />;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={search}
        rightSection={<Kbd size="xs">{isMac ? '⌘ K' : 'Ctrl K'}</Kbd>}
        onClick={onPalette}
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
        onClick={onPalette}
      >
        {search}
      </ActionIcon>
      {paletteCalls > 0 && (
        <Suspense fallback={null}>
          <Palette askedFor={paletteCalls} />
        </Suspense>
      )}
    </>
  );
};
