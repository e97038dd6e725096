import { ActionIcon, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { Name } from '../../components/display.tsx';
import { Section } from '../../components/page.tsx';
import type { Protection } from '../../queries/records.ts';
import { AddPerson } from './add-person.tsx';
import classes from './lines.module.css';
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
