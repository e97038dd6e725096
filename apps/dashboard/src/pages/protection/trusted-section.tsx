import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { Name } from '../../components/display.tsx';
import { Section } from '../../components/page.tsx';
import type { Protection } from '../../queries/records.ts';
import classes from './threshold-section.module.css';
import type { ProtectionForm } from './use-protection.ts';

type Person = Protection['trusted'][number];
const mostTrusted = 50;

export const TrustedSection = ({ form: { settings, edit, errorOf } }: { form: ProtectionForm }) => {
  const { trusted } = settings;
  const remove = (platformId: string) =>
    edit({ trusted: trusted.filter((person) => person.platformId !== platformId) });
  return (
    <Section
      title="Trusted people and bots"
      note="For them every threshold is five times as high, never none: a stolen moderator account is the usual attacker."
    >
      <Stack gap="md">
        {trusted.length === 0 ? (
          <Text size="sm">Nobody is trusted.</Text>
        ) : (
          <ul className={classes.kinds} aria-label="Trusted people and bots">
            {trusted.map((person) => (
              <li key={person.platformId} className={classes.kind}>
                <PersonName person={person} />
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Trust ${person.note || person.platformId} no more`}
                  onClick={() => remove(person.platformId)}
                >
                  <IconTrash size={18} stroke={1.6} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        {trusted.length < mostTrusted && (
          <AddPerson
            trusted={trusted}
            onAdd={(person) => edit({ trusted: [...trusted, person] })}
          />
        )}
        {errorOf('trusted') && (
          <Text size="sm" c="var(--mantine-color-error)">
            {errorOf('trusted')}
          </Text>
        )}
      </Stack>
    </Section>
  );
};

const PersonName = ({ person: { platformId, note } }: { person: Person }) => (
  <Stack gap={0} miw={0} flex={1}>
    <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
      <Name>{note || platformId}</Name>
    </Text>
    {note && (
      <Text size="xs" c="dimmed">
        {platformId}
      </Text>
    )}
  </Stack>
);

type AddPersonProps = { trusted: Person[]; onAdd: (person: Person) => void };

/** Adds to the form: what is added takes effect when the form is saved. */
const AddPerson = ({ trusted, onAdd }: AddPersonProps) => {
  const [{ platformId, note }, setPerson] = useState<Person>({ platformId: '', note: '' });
  const id = platformId.trim();
  const isId = /^\d{1,20}$/.test(id);
  const isKnown = trusted.some((person) => person.platformId === id);
  const isReady = isId && !isKnown;
  const add = () => {
    if (!isReady) return;
    onAdd({ platformId: id, note: note.trim() });
    setPerson({ platformId: '', note: '' });
  };
  // Enter would save the whole form.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="ID on the platform"
        inputMode="numeric"
        autoComplete="off"
        maxLength={20}
        value={platformId}
        onChange={({ currentTarget }) => setPerson({ platformId: currentTarget.value, note })}
        onKeyDown={onKeyDown}
        error={id !== '' && (isKnown ? 'Is on the list' : !isId && 'Enter the numeric ID')}
        flex={1}
        miw={180}
      />
      <TextInput
        label="Note"
        placeholder="Such as who it is"
        autoComplete="off"
        maxLength={500}
        value={note}
        onChange={({ currentTarget }) => setPerson({ platformId, note: currentTarget.value })}
        onKeyDown={onKeyDown}
        flex={1}
        miw={180}
      />
      <Button variant="default" onClick={add} disabled={!isReady}>
        Trust
      </Button>
    </Group>
  );
};
