-- Queries of every shape. {key} and {other} are user ids that are there, {absent} is not.

-- point
select * from log where user_id = {key};

-- scalar subquery
select * from log where user_id = (select max(user_id) from log where seq = 5) or user_id =
{key};

-- scalar subqueries over one table
select (select max(seq) from log where user_id = {key}) a, (select min(seq) from log where
user_id = {other}) b, (select count(*) from log where user_id = {key}) c;

-- in subquery
select * from log where kind in (select kind from log where user_id = {key});

-- not in subquery
select seq from log where seq < 30 and kind not in (select kind from log where user_id =
{key});

-- exists
select seq from kinds k join log l using (kind) where exists (select 1 from log x where
x.user_id = {key} and x.kind = k.kind) and seq < 50;

-- cte twice
with one as (select * from log where user_id in ({key}, {other})) select a.seq, b.seq from one
a join one b on a.kind <> b.kind;

-- union
select * from log where user_id = {key} union all select * from log where user_id = {other};

-- union of the same
select kind, count(*) from (select * from log where user_id = {key} union all select * from
log where user_id = {key}) group by kind;

-- self join, other filters
select a.seq, b.seq from log a join log b on a.kind = b.kind where a.user_id = {key} and
b.user_id = {other};

-- self join, one filter
select a.seq, b.seq from log a join log b on a.user_id = b.user_id where a.user_id = {key};

-- same aggregate twice
select * from (select kind, count(*) n from log where user_id = {key} group by kind) a join
(select kind, count(*) n from log where user_id = {key} group by kind) b using (kind);

-- left outer join
select k.kind, l.seq from kinds k left join (select * from log where user_id = {key}) l using
(kind);

-- full outer join
select k.kind, l.seq from kinds k full join (select * from log where user_id = {key}) l using
(kind);

-- left semi join
select * from kinds left semi join (select * from log where user_id = {key}) l using (kind);

-- left anti join
select * from kinds left anti join (select * from log where user_id = {key}) l using (kind);

-- join with an empty side
select k.kind, l.seq from kinds k left join (select * from log where user_id = {absent}) l
using (kind);

-- global aggregate of nothing
select count(*), max(seq) from log where user_id = {absent};

-- dynamic partition pruning
select p.seq from parts p join (select * from parts where user_id = {key} and seq >= 0) d on
p.day = d.day;

-- partition filter
select * from parts where day = 2 and user_id in ({key}, {other});

-- partition or key
select seq, day from parts where day = 1 and seq < 40 or user_id = {key};

-- partition column only
select count(*), sum(seq) from parts where day = 3;

-- limit
select * from log where user_id = {key} limit 5;

-- order and limit
select * from log where user_id in ({key}, {other}) order by seq desc limit 1;

-- window
select seq, row_number() over (partition by kind order by seq) from log where user_id in
({key}, {other});

-- distinct
select distinct kind from log where user_id in ({key}, {other}, {absent});

-- view
select * from ids where user_id = {key};

-- metadata
select seq, _metadata.file_name, _metadata.row_index, _metadata.file_size from saved where
user_id = {key};

-- input file name
select seq, input_file_name() from log where user_id = {key};

-- lateral
select * from kinds k, lateral (select max(seq) from log l where l.kind = k.kind and l.user_id
= {key});

-- udf in the filter
select seq from log where user_id = {key} and hash(seq) % 2 in (0, 1, -1);

-- random in the filter
select seq from log where user_id = {key} and rand() >= 0;

-- catalog table
select * from saved where user_id = {key};

-- catalog partitions
select * from saved_parts where day in (0, 2) and user_id in ({key}, {other});

-- bucketed join
select a.seq from bucketed a join bucketed b on a.user_id = b.user_id where a.user_id in
({key}, {other});

-- bucketed aggregate
select user_id, count(*) from bucketed where user_id in ({key}, {other}) group by user_id;
