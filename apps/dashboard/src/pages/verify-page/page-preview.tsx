import { Group, SegmentedControl, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type CSSProperties, useEffect, useState } from 'react';
import { Section } from '../../components/page.tsx';
import { type Looks, previewUrl } from './looks.ts';
import classes from './page-preview.module.css';

type Scheme = 'light' | 'dark';

/** Not with every letter: the page is loaded anew each time. */
const delayMs = 400;

const heightStyle = (height: number | undefined): CSSProperties =>
  // A custom property is not among the known ones.
  (height === undefined ? {} : { '--page-height': `${height}px` }) as CSSProperties;

/** The page itself, on a phone, with what is in the fields. Nothing in it can be pressed. */
export const PagePreview = ({ serverId, looks }: { serverId: string; looks: Looks }) => {
  const own = useComputedColorScheme('light');
  const [chosen, setChosen] = useState<Scheme>();
  const [page, setPage] = useState<HTMLElement>();
  const pageHeight = useContentHeight(page);
  const [src] = useDebouncedValue(previewUrl(serverId, looks, chosen ?? own), delayMs);
  return (
    <Section title="Preview">
      <Stack gap="sm" align="center">
        <Group justify="space-between" w="100%">
          <Text size="sm" c="dimmed">
            On a phone
          </Text>
          <SegmentedControl
            data={['light', 'dark'].map((value) => ({
              value,
              label: value === 'light' ? 'Light' : 'Dark',
            }))}
            value={chosen ?? own}
            onChange={(value) => setChosen(value === 'dark' ? 'dark' : 'light')}
            size="xs"
            aria-label="Appearance of the page"
          />
        </Group>
        <iframe
          className={classes.phone}
          src={src}
          style={heightStyle(pageHeight)}
          onLoad={({ currentTarget }) => setPage(currentTarget.contentDocument?.body)}
          title="Preview of the verify page"
          // Its own styles, but no scripts, forms or ways out.
          sandbox="allow-same-origin"
        />
      </Stack>
    </Section>
  );
};

/** The page is shown whole, however it grows: by its texts, its font, or a narrower window. */
const useContentHeight = (page: HTMLElement | undefined): number | undefined => {
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    if (!page) return undefined;
    const observer = new ResizeObserver(() => setHeight(contentHeightOf(page)));
    for (const part of [page, ...page.children]) observer.observe(part);
    return () => observer.disconnect();
  }, [page]);
  return height;
};

/** The page is at least as high as its frame, which would never become lower again. */
const contentHeightOf = (page: HTMLElement): number => {
  page.style.minHeight = '0';
  const height = page.offsetHeight;
  page.style.minHeight = '';
  return height;
};
