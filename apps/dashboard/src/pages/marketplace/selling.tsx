import { PageHead } from '../../parts/page-head.tsx';

export const Selling = () => <PageHead title="Selling" />;
