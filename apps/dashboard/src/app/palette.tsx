import { VisuallyHidden } from '@mantine/core';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { plainName } from '../components/display.tsx';
import { findDestinations } from './destinations.ts';
import classes from './palette.module.css';
import { useDestinations } from './use-destinations.ts';

const [store, palette] = createSpotlight();

/**
 * Enter goes to the first that was found. The library selects it before the list has changed, and loses it
 * with the element.
 */
const selectFirst = (): void => {
  const list = document.getElementById(store.getState().listId);
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
  const first = list?.querySelector('[data-action]');
  first?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: first ? 0 : -1 }));
};

/** Finds pages and servers by what is typed. It opens whenever `askedFor` grows. */
export const Palette = ({ askedFor }: { askedFor: number }) => {
  const navigate = useNavigate();
  const { server, account, servers } = useDestinations();
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (askedFor > 0) palette.open();
  }, [askedFor]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query shows other pages
  useEffect(selectFirst, [query]);
  const found = findDestinations([...server, ...account, servers], query);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight="min(60vh, 420px)"
      title={<VisuallyHidden>Go to</VisuallyHidden>}
      classNames={{ header: classes.header, action: classes.action }}
    >
      <Spotlight.Search
        placeholder="Go to a page or a server"
        aria-label="Go to a page or a server"
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {found.map(({ label, destinations }) => (
          <Spotlight.ActionsGroup key={label} label={plainName(label)}>
            {destinations.map(({ to, label: name, icon: Glyph }) => (
              <Spotlight.Action
                key={to}
                label={plainName(name)}
                leftSection={<Glyph size={18} stroke={1.6} aria-hidden />}
                onClick={() => navigate(to)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {found.length === 0 && <Spotlight.Empty>Nothing of that name</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
};
