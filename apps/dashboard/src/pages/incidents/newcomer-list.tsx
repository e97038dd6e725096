import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment, Name } from '../../components/display.tsx';
import { LoadedList, PageTurner, usePageNumber } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { newcomerState, signsOf } from '../../labels/waves.ts';
import { newcomersQuery } from '../../queries/protection.ts';
import type { Newcomer } from '../../queries/records.ts';
import classes from './act-list.module.css';

/** Those who are or were held. Their names may be alike, so each has its ID. */
export const NewcomerList = ({ incidentId }: { incidentId: string }) => {
  const newcomers = useQuery(newcomersQuery(incidentId, usePageNumber()));
  return (
    <Section
      title="Newcomers of the raid"
      note="The likeliest raiders first; those who were spared or have left come last."
    >
      <LoadedList
        query={newcomers}
        height={240}
        empty={<Text size="sm">Nobody is or was held.</Text>}
      >
        {({ data, pagination }) => (
          <div>
            <ul className={classes.acts}>
              {data.map((newcomer) => (
                <Line key={newcomer.id} newcomer={newcomer} />
              ))}
            </ul>
            <PageTurner pagination={pagination} />
          </div>
        )}
      </LoadedList>
    </Section>
  );
};

const Line = ({ newcomer }: { newcomer: Newcomer }) => {
  const { id, username, accountCreatedAt, status } = newcomer;
  return (
    <li className={classes.act}>
      <Group gap={6}>
        <Text size="sm" fw={500}>
          <Name>{username || id}</Name>
        </Text>
        {signsOf(newcomer).map((sign) => (
          <Badge key={sign} color="orange" size="xs">
            {sign}
          </Badge>
        ))}
        {status !== 'held' && (
          <Badge color="gray" size="xs">
            {newcomerState(newcomer)}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" className="holdfast-number">
        ID {id}
        {accountCreatedAt !== null && (
          <>
            , made <Moment at={accountCreatedAt} />
          </>
        )}
      </Text>
    </li>
  );
};
